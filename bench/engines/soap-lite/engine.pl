# SOAP::Lite: client and server in SOAP encoding, which is what it does by itself. The protocol is ../../PROTOCOL.md.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use POSIX ();
use SOAP::Lite;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);
use Server;
use Trace;

my ($client, $last_operation, $last_result, $child, @sets, @elements);
my $client_url = '';
my $keep_alive = 1;

sub now { return sprintf '%.0f', clock_gettime(CLOCK_MONOTONIC) * 1e9 }

sub client {
    my ($url) = @_;
    if ($client_url ne $url) {
        $client = SOAP::Lite->proxy($url, keep_alive => $keep_alive, timeout => 600)->ns('urn:castile:bench:encoded', 'b');
        $client->on_action(sub { '""' });
        $client->on_fault(sub { die ref $_[1] ? $_[1]->faultstring . "\n" : $_[0]->transport->status . "\n" });
        $client_url = $url;
    }
    return $client;
}

sub kind { my ($operation) = @_; return $operation eq 'doGoogleSearch' ? 'google' : lc $operation =~ s/^(echo|send)//r }

sub search {
    return (Trace::typed('key', 'string', '0000'), Trace::typed('q', 'string', 'grid computing'),
        Trace::typed('start', 'int', 0), Trace::typed('maxResults', 'int', @elements || 1),
        Trace::typed('filter', 'boolean', 'true'), Trace::typed('restrict', 'string', ''),
        Trace::typed('safeSearch', 'boolean', 'false'), map { Trace::typed($_, 'string', '') } qw(lr ie oe));
}

# The arguments of a call: bytes came as a reference.
sub arguments {
    my ($values) = @_;
    return ref $values eq 'SCALAR' ? Trace::typed('values', 'base64Binary', $$values) : SOAP::Data->name('values')->value($values);
}

sub call {
    my ($operation, $url, $count) = @_;
    my $soap = client($url);
    my @given = $operation eq 'echoVoid' ? ([]) : $operation eq 'doGoogleSearch' ? ([search()]) : map { [arguments($_)] } @sets;
    my @samples;
    for my $i (0 .. $count - 1) {
        my $start = now();
        my $reply = $soap->call($operation, @{$given[$i % @given]});
        $last_result = $reply->result;
        push @samples, $start . ',' . now();
    }
    $last_operation = $operation;
    return "@samples";
}

sub dump_last {
    my ($path) = @_;
    return Trace::dump_to($path, 'ints', $last_operation eq 'echoVoid' ? [] : [$last_result]) if $last_operation =~ /^send|Void/;
    my $kind = kind($last_operation);
    return Trace::dump_to($path, $kind, $kind eq 'google' ? $last_result->{resultElements} : $last_result);
}

sub stop { if ($child) { kill 'TERM', $child; waitpid $child, 0; undef $child } return '' }

my %commands = (
    hello => sub { "1 SOAP::Lite $SOAP::Lite::VERSION, Perl $^V" },
    load  => sub {
        my ($kind, $path) = @_;
        my $lines = Trace::lines($path);
        if ($kind eq 'google') { @elements = @$lines } else { push @sets, Trace::values_of($kind, $lines) }
        return scalar @$lines;
    },
    clear => sub { @sets = @elements = (); '' },
    set   => sub {
        my $setting = "@_";
        die "unsupported no $_[0]=$_[1]\n" unless $setting =~ /^(keepalive (on|off)|chunk 0|security none|attachments inline)$/;
        $keep_alive = $_[1] eq 'on' if $_[0] eq 'keepalive';
        $client_url = '';
        return '';
    },
    serve => sub {
        die "unsupported the engine speaks SOAP encoding\n" unless $_[0] eq 'encoded';
        (my $port, $child) = Server::start(\@elements);
        return $port;
    },
    stop  => \&stop,
    call  => \&call,
    dump  => \&dump_last,
    reset => sub { $client_url = ''; '' },
);

$| = 1;
while (my $line = <STDIN>) {
    my ($command, @words) = split ' ', $line;
    last if $command eq 'quit';
    my $said = eval {
        my $answer = ($commands{$command} // die "unsupported no command $command\n")->(@words);
        $answer eq '' ? 'ok' : "ok $answer";
    };
    $said //= $@ =~ /^unsupported/ ? $@ : "error $@";
    $said =~ s/\s+/ /g;
    print "$said\n";
}
stop();
print "ok\n";
