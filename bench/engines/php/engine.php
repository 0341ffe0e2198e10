<?php
// PHP's soap extension: SoapClient and SoapServer, which read the WSDL. The protocol is ../../PROTOCOL.md.
declare(strict_types=1);

require 'trace.php';
require 'server.php';

final class Unsupported extends Exception {}

final class Engine
{
    private array $clients = [];
    private array $settings = ['keepalive' => 'on', 'security' => 'none'];
    private array $sets = [];
    private array $elements = [];
    private string $operation = '';
    private mixed $result = null;
    private array $children = [];

    public function answer(string $command, string ...$words): string
    {
        if (!method_exists($this, "on_$command")) {
            throw new Unsupported("no command $command");
        }
        return rtrim('ok ' . $this->{"on_$command"}(...$words));
    }

    private function on_hello(): string
    {
        return '1 PHP ext/soap ' . PHP_VERSION;
    }

    private function on_load(string $kind, string $path): int
    {
        if (in_array($kind, ['nested', 'ring'], true)) {
            throw new Unsupported("no $kind");
        }
        $lines = trace_lines($path);
        if ($kind === 'google') {
            $this->elements = trace_values($kind, $lines);
        } else {
            $this->sets[] = trace_values($kind, $lines);
        }
        return count($lines);
    }

    private function on_clear(): void
    {
        $this->sets = $this->elements = [];
    }

    private function on_set(string $name, string $value): void
    {
        $known = ['keepalive on', 'keepalive off', 'chunk 0', 'security none', 'security username', 'attachments inline'];
        if (!in_array("$name $value", $known, true)) {
            throw new Unsupported("no $name=$value");
        }
        $this->settings[$name] = $value;
        $this->clients = [];
    }

    private function on_serve(string $contract): int
    {
        if (!in_array($contract, ['bench', 'files'], true)) {
            throw new Unsupported("no $contract: the engine speaks the literal contracts without attributes");
        }
        $secured = $this->settings['security'] === 'username';
        [$port, $this->children] = serve($this->wsdl($contract), $this->elements, $secured);
        return $port;
    }

    public function on_stop(): void
    {
        foreach ($this->children as $child) {
            posix_kill($child, SIGTERM);
            pcntl_waitpid($child, $status);
        }
        $this->children = [];
    }

    private function on_call(string $operation, string $url, string $count): string
    {
        $client = $this->client($this->kind($operation) === 'files' ? 'files' : 'bench', $url);
        $sets = match ($operation) {
            'echoVoid' => [[]],
            'doGoogleSearch' => [$this->search()],
            default => array_map(fn($values) => ['values' => $values], $this->sets),
        };
        $samples = '';
        for ($i = 0; $i < (int) $count; $i++) {
            $arguments = $sets[$i % count($sets)];
            $start = hrtime(true);
            $this->result = $client->$operation($arguments);
            $samples .= "$start," . hrtime(true) . ' ';
        }
        $this->operation = $operation;
        return $samples;
    }

    private function on_dump(string $path): int
    {
        $lines = match (true) {
            $this->operation === 'echoVoid' => [],
            str_starts_with($this->operation, 'send') => [(string) $this->result->count],
            default => trace_of($this->kind($this->operation), $this->result->return),
        };
        file_put_contents($path, implode('', array_map(fn($line) => "$line\n", $lines)));
        return count($lines);
    }

    private function on_reset(): void
    {
        $this->clients = [];
    }

    private function kind(string $operation): string
    {
        return $operation === 'doGoogleSearch' ? 'google' : strtolower(preg_replace('/^(echo|send)/', '', $operation));
    }

    private function search(): array
    {
        $flags = ['filter' => true, 'restrict' => '', 'safeSearch' => false, 'lr' => '', 'ie' => '', 'oe' => ''];
        $rows = max(1, count($this->elements));
        return ['key' => '0000', 'q' => 'grid computing', 'start' => 0, 'maxResults' => $rows] + $flags;
    }

    private function wsdl(string $contract): string
    {
        return getenv('BENCH_WSDL') . "/$contract.wsdl";
    }

    private function client(string $contract, string $url): SoapClient
    {
        $client = $this->clients["$contract $url"] ?? null;
        if ($client === null) {
            $client = new SoapClient($this->wsdl($contract), [
                'location' => $url,
                'keep_alive' => $this->settings['keepalive'] === 'on',
                'features' => SOAP_SINGLE_ELEMENT_ARRAYS,
                'cache_wsdl' => WSDL_CACHE_MEMORY,
            ]);
            if ($this->settings['security'] === 'username') {
                $client->__setSoapHeaders($this->token());
            }
            $this->clients["$contract $url"] = $client;
        }
        return $client;
    }

    private function token(): SoapHeader
    {
        $wsse = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
        $text = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordText';
        $xml = "<wsse:Security xmlns:wsse=\"$wsse\"><wsse:UsernameToken><wsse:Username>bench</wsse:Username>" .
            "<wsse:Password Type=\"$text\">bench</wsse:Password></wsse:UsernameToken></wsse:Security>";
        return new SoapHeader($wsse, 'Security', new SoapVar($xml, XSD_ANYXML));
    }
}

$engine = new Engine();
while (($line = fgets(STDIN)) !== false && trim($line) !== 'quit') {
    try {
        $said = $engine->answer(...explode(' ', trim($line)));
    } catch (Unsupported $why) {
        $said = 'unsupported ' . $why->getMessage();
    } catch (Throwable $problem) {
        $said = 'error ' . preg_replace('/\s+/', ' ', $problem->getMessage());
    }
    fwrite(STDOUT, "$said\n");
}
$engine->on_stop();
fwrite(STDOUT, "ok\n");
