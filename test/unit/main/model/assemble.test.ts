import { expect, test } from 'vitest';
import { CallAssembler, type CallDelta } from '#main/model/openai/assemble.ts';

const joined = (deltas: readonly CallDelta[]) => {
  const assembler = new CallAssembler();
  for (const delta of deltas) assembler.take(delta);
  return assembler.calls().map((c) => [c.name, c.args]);
};
const piece = (index: number | null, id: string | null, name: string | null, args: unknown): CallDelta => ({ index, id, function: { name, arguments: args } });

test.each<[string, readonly CallDelta[], (readonly [string, string])[]]>([
  ['in pieces', [piece(0, 'a', 'f', ''), piece(0, null, null, '{"x"'), piece(0, null, null, ':1}')], [['f', '{"x":1}']]],
  ['two interleaved', [piece(0, 'a', 'f', ''), piece(1, 'b', 'g', ''), piece(1, null, null, '{}'), piece(0, null, null, '[]')], [['f', '[]'], ['g', '{}']]],
  ['two without an index', [piece(null, 'a', 'f', '{"x":'), piece(null, null, null, '1}'), piece(null, 'b', 'g', '{}')], [['f', '{"x":1}'], ['g', '{}']]],
  ['two without index and id', [piece(null, null, 'f', '{"x":'), piece(null, '', '', '1}'), piece(null, null, 'g', '{}')], [['f', '{"x":1}'], ['g', '{}']]],
  ['two at index 0 with ids of their own', [piece(0, 'a', 'f', '{}'), piece(0, 'b', 'f', '{"y":2}')], [['f', '{}'], ['f', '{"y":2}']]],
  ['two under one id without an index', [piece(null, 'a', 'f', '{}'), piece(null, 'a', 'f', '{"y":2}')], [['f', '{}'], ['f', '{"y":2}']]],
  ['id and name with every piece', [piece(0, 'a', 'f', ''), piece(0, 'a', 'f', '{"x"'), piece(0, 'a', 'f', ':1}')], [['f', '{"x":1}']]],
  ['a name in two pieces', [piece(0, 'a', 'read_', ''), piece(0, null, 'file', ''), piece(0, null, null, '{}')], [['read_file', '{}']]],
  ['arguments as an object', [piece(0, 'a', 'f', { x: 1 })], [['f', '{"x":1}']]],
  ['no arguments', [piece(0, 'a', 'f', undefined)], [['f', '']]],
  ['nothing but an index', [{ index: 0 }], [['', '']]],
])('[WB-COMPOSER-014-AC2] calls are joined: %s', (_how, deltas, calls) => expect(joined(deltas)).toEqual(calls));
