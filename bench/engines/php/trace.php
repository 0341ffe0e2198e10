<?php
// Trace files (../../PROTOCOL.md) as the arrays that SoapClient takes, and its objects as trace files again.
declare(strict_types=1);

const FIELDS = [
    'mios' => ['x' => 'intval', 'y' => 'intval', 'value' => 'floatval'],
    'events' => ['sequence' => 'intval', 'time' => 'floatval', 'message' => 'strval'],
    'attributes' => ['name' => 'strval', 'type' => 'strval', 'value' => 'strval'],
    'files' => ['name' => 'strval', 'data' => 'hex2bin'],
];
const ELEMENT = ['summary', 'URL', 'snippet', 'title', 'cachedSize', 'relatedInformationPresent', 'hostName'];

function trace_lines(string $path): array
{
    $text = file_get_contents($path);
    return $text === '' ? [] : explode("\n", substr($text, 0, -1));
}

/** What an operation takes as `values`; of `google` the elements that a search finds. */
function trace_values(string $kind, array $lines): mixed
{
    return match ($kind) {
        'doubles' => ['item' => array_map('floatval', $lines)],
        'ints' => ['item' => array_map('intval', $lines)],
        'strings' => ['item' => $lines],
        'bytes' => hex2bin($lines[0] ?? ''),
        'packed' => pack('e*', ...array_map('floatval', $lines)),
        'classads' => ['item' => array_map('class_ad', $lines)],
        'google' => array_map('search_element', $lines),
        default => ['item' => array_map(fn($line) => trace_record($kind, explode("\t", $line)), $lines)],
    };
}

function trace_record(string $kind, array $cells): array
{
    $made = [];
    foreach (FIELDS[$kind] as $name => $convert) {
        $made[$name] = $convert($cells[count($made)]);
    }
    return $made;
}

function class_ad(string $line): array
{
    $attributes = array_chunk(explode("\t", $line), 3);
    return ['attributes' => ['item' => array_map(fn($cells) => trace_record('attributes', $cells), $attributes)]];
}

function search_element(string $line): array
{
    $cells = explode("\t", $line);
    $element = array_combine(ELEMENT, array_slice($cells, 0, 7));
    $element['relatedInformationPresent'] = $cells[5] === 'true';
    $element['directoryCategory'] = ['fullViewableName' => $cells[7], 'specialEncoding' => $cells[8]];
    $element['directoryTitle'] = $cells[9];
    return $element;
}

/** The lines of what an operation returned. */
function trace_of(string $kind, mixed $value): array
{
    if ($kind === 'bytes') {
        return [bin2hex($value)];
    }
    if ($kind === 'packed') {
        return array_map('written', array_values(unpack('e*', $value) ?: []));
    }
    $items = ($kind === 'google' ? $value->resultElements : $value)->item ?? [];
    return array_map(fn($item) => implode("\t", array_map('written', item_cells($kind, $item))), $items);
}

function item_cells(string $kind, mixed $item): array
{
    if ($kind === 'google') {
        $category = $item->directoryCategory;
        $cells = array_map(fn($name) => $item->$name, ELEMENT);
        return [...$cells, $category->fullViewableName, $category->specialEncoding, $item->directoryTitle];
    }
    if ($kind === 'classads') {
        return array_merge(...array_map(fn($it) => item_cells('attributes', $it), $item->attributes->item));
    }
    if ($kind === 'files') {
        return [$item->name, bin2hex($item->data)];
    }
    return isset(FIELDS[$kind]) ? array_map(fn($name) => $item->$name, array_keys(FIELDS[$kind])) : [$item];
}

function written(mixed $value): string
{
    return is_bool($value) ? ($value ? 'true' : 'false') : (is_float($value) ? var_export($value, true) : (string) $value);
}
