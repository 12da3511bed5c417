import * as z from 'zod/mini';
import { fail, ok } from '#domain/result.ts';
import type { Tool } from '../types.ts';

export const MAX_ARGUMENT_CHARS = 8 * 1024 * 1024;

/** A path argument: any string; the gate says what is wrong with it. */
export const pathText = z.string().check(z.maxLength(20_000));
export const contentText = z.string().check(z.maxLength(MAX_ARGUMENT_CHARS));

/** Builds a tool whose JSON schema and argument check come from one description. */
export function defineTool<S extends z.ZodMiniType>(
  args: S,
  tool: Omit<Tool<z.infer<S>>, 'schema' | 'parse'>,
): Tool<z.infer<S>> {
  const { $schema: _ignored, ...schema } = z.toJSONSchema(args) as Record<string, unknown>;
  return {
    ...tool,
    schema,
    parse: (value) => {
      const parsed = args.safeParse(value);
      if (parsed.success) return ok(parsed.data);
      const issue = parsed.error.issues[0];
      return fail('tool.arguments', { at: issue?.path.map(String).join('.') || '(arguments)' }, issue?.message);
    },
  };
}

/** The last name of a written path, for the words on screen. */
export function shortName(path: string): string {
  return path.split(/[\\/]/).filter((part) => part !== '' && part !== '.').at(-1) ?? path;
}
