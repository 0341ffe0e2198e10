package Trace;

# Trace files (../../PROTOCOL.md) as what SOAP::Lite sends, and what it decoded as trace files again. Numbers stay the
# texts that they are: Perl would write them with 15 digits.

use strict;
use warnings;
use MIME::Base64 ();
use SOAP::Lite;

our %FIELDS = (
    mios       => [[x => 'int'], [y => 'int'], [value => 'double']],
    events     => [[sequence => 'int'], [time => 'double'], [message => 'string']],
    attributes => [[name => 'string'], [type => 'string'], [value => 'string']],
);
our @ELEMENT = qw(summary URL snippet title cachedSize relatedInformationPresent hostName);
my %TYPE = (
    doubles => 'double', ints => 'int', strings => 'string',
    mios => 'b:Mio', events => 'b:Event', attributes => 'b:Attribute',
);

sub lines {
    my ($path) = @_;
    open my $file, '<:encoding(UTF-8)', $path or die "cannot read $path: $!\n";
    chomp(my @lines = <$file>);
    return \@lines;
}

sub typed { my ($name, $type, $value) = @_; return SOAP::Data->name($name)->type($type)->value($value) }

# A record of named and typed members, in their order.
sub record { my ($type, @members) = @_; return SOAP::Data->type($type)->value(\SOAP::Data->value(@members)) }

sub members { my ($kind, $type, @cells) = @_;
    return record($type, map { typed($_->[0], $_->[1], shift @cells) } @{$FIELDS{$kind}});
}

# What `load` makes of the lines of a kind.
sub values_of {
    my ($kind, $lines) = @_;
    return \pack('H*', $lines->[0] // '') if $kind eq 'bytes';
    return \pack('d<*', @$lines) if $kind eq 'packed';
    return [map { ad(split /\t/, $_, -1) } @$lines] if $kind eq 'classads';
    return [map { members($kind, $TYPE{$kind}, split /\t/, $_, -1) } @$lines] if $FIELDS{$kind};
    die "unsupported no $kind\n" unless $TYPE{$kind};
    return [map { SOAP::Data->type($TYPE{$kind})->value($_) } @$lines];
}

sub ad {
    my @cells = @_;
    my @attributes;
    push @attributes, members('attributes', 'b:ClassAdAttribute', splice @cells, 0, 3) while @cells;
    return record('b:ClassAd', SOAP::Data->name('attributes')->value(\@attributes));
}

sub element {
    my @cells = split /\t/, shift, -1;
    my $category = record('b:DirectoryCategory', typed('fullViewableName', 'string', $cells[7]),
        typed('specialEncoding', 'string', $cells[8]))->name('directoryCategory');
    my @plain = map { typed($ELEMENT[$_], $_ == 5 ? 'boolean' : 'string', $cells[$_]) } 0 .. 6;
    return record('b:ResultElement', @plain, $category, typed('directoryTitle', 'string', $cells[9]));
}

# Decoded values as what can be sent: a server's echo.
sub again {
    my ($kind, $values) = @_;
    return \$values if $kind eq 'bytes' || $kind eq 'packed';
    return [map { ad(cells($kind, $_)) } @$values] if $kind eq 'classads';
    return [map { members($kind, $TYPE{$kind}, cells($kind, $_)) } @$values] if $FIELDS{$kind};
    return [map { SOAP::Data->type($TYPE{$kind})->value($_) } @$values];
}

sub cells {
    my ($kind, $item) = @_;
    return map { cells('attributes', $_) } @{$item->{attributes}} if $kind eq 'classads';
    return element_cells($item) if $kind eq 'google';
    return $FIELDS{$kind} ? map({ $item->{$_->[0]} } @{$FIELDS{$kind}}) : ($item);
}

sub element_cells {
    my ($item) = @_;
    my %plain = (%$item, relatedInformationPresent => $item->{relatedInformationPresent} ? 'true' : 'false');
    my @category = @{$item->{directoryCategory}}{qw(fullViewableName specialEncoding)};
    return (@plain{@ELEMENT}, @category, $item->{directoryTitle});
}

sub dump_to {
    my ($path, $kind, $values) = @_;
    my @lines = $kind eq 'bytes' ? unpack('H*', $values)
        : $kind eq 'packed' ? map({ sprintf '%.17g', $_ } unpack 'd<*', $values)
        : map { join "\t", map { $_ // '' } cells($kind, $_) } @{$values // []};
    open my $file, '>:encoding(UTF-8)', $path or die "cannot write $path: $!\n";
    print $file map { "$_\n" } @lines;
    close $file or die "cannot write $path: $!\n";
    return scalar @lines;
}

1;
