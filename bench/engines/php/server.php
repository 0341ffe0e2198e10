<?php
// SoapServer behind a loop that reads HTTP from sockets: PHP has no server of its own that keeps connections.
declare(strict_types=1);

const WORKERS = 4;

final class Handler
{
    private bool $known = false;

    /** @param bool $secured whether each call needs a token */
    public function __construct(private array $elements, private bool $secured) {}

    /** The header of a request, which SoapServer hands over before the operation. */
    public function Security(object $header): void
    {
        $token = $header->UsernameToken ?? null;
        $this->known = ($token->Username ?? null) === 'bench' && ($token->Password ?? null) === 'bench';
    }

    public function __call(string $operation, array $arguments): array
    {
        if ($this->secured && !$this->known) {
            throw new SoapFault('Client', 'who is calling?');
        }
        $this->known = false;
        $values = $arguments[0]->values ?? null;
        if ($operation === 'doGoogleSearch') {
            return ['return' => $this->found()];
        }
        if ($operation === 'echoVoid') {
            return [];
        }
        if (str_starts_with($operation, 'echo')) {
            return ['return' => $values];
        }
        $count = match ($operation) {
            'sendBytes' => strlen($values),
            'sendPacked' => intdiv(strlen($values), 8),
            default => count($values->item ?? []),
        };
        return ['count' => $count];
    }

    private function found(): array
    {
        return [
            'documentFiltering' => false,
            'searchComments' => '',
            'estimatedTotalResultsCount' => 3220000,
            'estimateIsExact' => false,
            'resultElements' => ['item' => $this->elements],
            'searchQuery' => 'grid computing',
            'startIndex' => 1,
            'endIndex' => count($this->elements),
            'searchTips' => '',
            'directoryCategories' => [],
            'searchTime' => 0.194871,
        ];
    }
}

/** Processes that serve until they are ended; gives the port and their ids. */
function serve(string $wsdl, array $elements, bool $secured): array
{
    $context = stream_context_create(['socket' => ['tcp_nodelay' => true, 'backlog' => 128]]);
    $listener = stream_socket_server('tcp://127.0.0.1:0', $code, $why, STREAM_SERVER_BIND | STREAM_SERVER_LISTEN, $context)
        ?: throw new RuntimeException($why);
    $port = (int) substr(strrchr(stream_socket_get_name($listener, false), ':'), 1);
    $children = [];
    for ($i = 0; $i < WORKERS; $i++) {
        $child = pcntl_fork();
        if ($child === 0) {
            work($listener, $wsdl, new Handler($elements, $secured));
        }
        $children[] = $child;
    }
    fclose($listener);
    return [$port, $children];
}

/** One process: all its connections by turns. */
function work($listener, string $wsdl, Handler $handler): never
{
    $server = new SoapServer($wsdl, ['features' => SOAP_SINGLE_ELEMENT_ARRAYS, 'cache_wsdl' => WSDL_CACHE_MEMORY]);
    $server->setObject($handler);
    stream_set_blocking($listener, false);
    $connections = [];
    $engine = posix_getppid();
    while (posix_getppid() === $engine) {
        $ready = [$listener, ...$connections];
        $none = [];
        stream_select($ready, $none, $none, 1);
        foreach ($ready as $one) {
            if ($one === $listener) {
                $connection = @stream_socket_accept($listener, 0);
                if ($connection) {
                    stream_set_blocking($connection, true);
                    $connections[(int) $connection] = $connection;
                }
            } elseif (!answer($one, $server)) {
                unset($connections[(int) $one]);
                fclose($one);
            }
        }
    }
    exit(0);
}

/** Reads a request and answers it; says whether the connection stays. */
function answer($connection, SoapServer $server): bool
{
    $head = read_head($connection);
    if ($head === null) {
        return false;
    }
    $body = read_body($connection, $head);
    ob_start();
    $server->handle($body);
    $reply = ob_get_clean();
    $keep = !preg_match('/^connection:\s*close/mi', $head);
    $status = str_contains(substr($reply, 0, 1000), ':Fault>') ? '500 Internal Server Error' : '200 OK';
    $fields = "HTTP/1.1 $status\r\nContent-Type: text/xml; charset=utf-8\r\nContent-Length: " . strlen($reply);
    fwrite($connection, $fields . ($keep ? '' : "\r\nConnection: close") . "\r\n\r\n" . $reply);
    return $keep;
}

function read_head($connection): ?string
{
    $head = '';
    do {
        $line = fgets($connection);
        if ($line === false) {
            return null;
        }
        $head .= $line;
    } while (rtrim($line) !== '');
    if (stripos($head, 'expect: 100-continue') !== false) {
        fwrite($connection, "HTTP/1.1 100 Continue\r\n\r\n");
    }
    return $head;
}

function read_body($connection, string $head): string
{
    if (preg_match('/^content-length:\s*(\d+)/mi', $head, $found)) {
        return read_bytes($connection, (int) $found[1]);
    }
    $body = '';
    while (($size = hexdec(trim(explode(';', fgets($connection))[0]))) > 0) {
        $body .= read_bytes($connection, (int) $size);
        fgets($connection);
    }
    while (rtrim((string) fgets($connection)) !== '') {
    }
    return $body;
}

function read_bytes($connection, int $size): string
{
    $body = '';
    while (strlen($body) < $size && !feof($connection)) {
        $body .= fread($connection, $size - strlen($body));
    }
    return $body;
}
