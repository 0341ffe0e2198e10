package Server;

# SOAP::Lite's server over HTTP::Daemon, with a process for each connection, as the examples that come with it have it.

use strict;
use warnings;
use Socket qw(IPPROTO_TCP TCP_NODELAY);
use SOAP::Transport::HTTP;
use Trace;

our @ISA = ('SOAP::Transport::HTTP::Daemon');

# Its port and its process.
sub start {
    my ($elements) = @_;
    @Handler::ELEMENTS = @$elements;
    my $server = Server->new(LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 128, ReuseAddr => 1)
        or die "no server: $!\n";
    $server->dispatch_with({'urn:castile:bench:encoded' => 'Handler'});
    $server->serializer->register_ns('urn:castile:bench:encoded', 'b');
    $server->on_action(sub { });
    my $engine = $$;
    my $child = fork // die "no process: $!\n";
    return ($server->sockport, $child) if $child;
    open STDIN, '<', '/dev/null';
    $SIG{CHLD} = 'IGNORE';
    $server->timeout(1);
    while (getppid == $engine) { $server->handle }
    POSIX::_exit(0);
}

# Until a second passes without a connection.
sub handle {
    my ($self) = @_;
    while (my $connection = $self->accept) {
        if (fork) { $connection->close; next }
        $connection->timeout(undef);
        setsockopt $connection, IPPROTO_TCP, TCP_NODELAY, 1;
        while (my $request = $connection->get_request) {
            $self->request($request);
            $self->SOAP::Transport::HTTP::Server::handle;
            $connection->send_response($self->response);
        }
        POSIX::_exit(0);
    }
}

package Handler;

our @ELEMENTS;

sub echoVoid { return }

sub doGoogleSearch {
    my @before = (['documentFiltering', 'boolean', 'false'], ['searchComments', 'string', ''],
        ['estimatedTotalResultsCount', 'int', 3220000], ['estimateIsExact', 'boolean', 'false']);
    my @after = (['searchQuery', 'string', 'grid computing'], ['startIndex', 'int', 1],
        ['endIndex', 'int', scalar @ELEMENTS], ['searchTips', 'string', '']);
    return Trace::record('b:GoogleSearchResult', map({ Trace::typed(@$_) } @before),
        SOAP::Data->name('resultElements')->value([map { Trace::element($_) } @ELEMENTS]),
        map({ Trace::typed(@$_) } @after), SOAP::Data->name('directoryCategories')->value([]),
        Trace::typed('searchTime', 'double', '0.194871'))->name('return');
}

for my $kind (qw(Doubles Ints Strings Bytes Packed Mios Events Attributes ClassAds)) {
    no strict 'refs';
    my $name = lc $kind;
    my $binary = $kind eq 'Bytes' || $kind eq 'Packed';
    *{"echo$kind"} = $binary
        ? sub { return Trace::typed('return', 'base64Binary', $_[1]) }
        : sub { return SOAP::Data->name('return')->value(Trace::again($name, $_[1])) };
    my $size = $kind eq 'Bytes' ? sub { length $_[0] } : $kind eq 'Packed' ? sub { length($_[0]) / 8 } : sub { scalar @{$_[0]} };
    *{"send$kind"} = sub { return Trace::typed('count', 'int', $size->($_[1])) };
}

1;
