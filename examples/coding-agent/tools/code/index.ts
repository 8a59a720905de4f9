// Reading a code base: search in files, find files, see what is in one.
import type { ToolHandler, ToolContext, JsonValue } from '@goondan/core';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { listFiles, matcher } from '../../lib/files';
import { languageOf, outlineOf } from './outline';

const maxFile = 1_000_000;
const maxLine = 400;

interface GrepInput {
  pattern: string;
  path?: string;
  glob?: string;
  ignoreCase?: boolean;
  context?: number;
  maxResults?: number;
}

async function textOf(root: string, path: string): Promise<string | undefined> {
  const about = await stat(join(root, path)).catch(() => undefined);
  if (!about?.isFile() || about.size > maxFile) return undefined;
  const text = await readFile(join(root, path), 'utf8').catch(() => undefined);
  return text?.includes('\0') ? undefined : text;
}

export const handlers: Record<string, ToolHandler> = {
  'grep': async (ctx: ToolContext, input: GrepInput): Promise<JsonValue> => {
    let pattern: RegExp;
    try {
      pattern = new RegExp(input.pattern, input.ignoreCase ? 'i' : '');
    } catch (e) {
      throw Object.assign(new Error(`not a regular expression: ${(e as Error).message}`), {
        suggestion: 'Escape characters such as ( [ { . * + ? with a backslash to find them as they are.',
      });
    }
    const wanted = input.glob ? matcher(input.glob) : () => true;
    const limit = input.maxResults ?? 100;
    const around = input.context ?? 0;
    const matches: JsonValue[] = [];
    let searched = 0;
    for (const path of await listFiles(ctx.workdir, input.path)) {
      if (!wanted(path)) continue;
      const text = await textOf(ctx.workdir, path);
      if (text === undefined) continue;
      searched++;
      const lines = text.split('\n');
      for (let i = 0; i < lines.length; i++) {
        if (!pattern.test(lines[i])) continue;
        if (matches.length === limit) return { matches, searched, truncated: true };
        const shown = (from: number, to: number) => lines.slice(Math.max(from, 0), to).map((line) => line.slice(0, maxLine));
        matches.push({
          path,
          line: i + 1,
          text: lines[i].slice(0, maxLine),
          ...(around > 0 ? { before: shown(i - around, i), after: shown(i + 1, i + 1 + around) } : {}),
        });
      }
    }
    return { matches, searched, truncated: false };
  },

  'find': async (ctx: ToolContext, input: { glob: string; path?: string; maxResults?: number }): Promise<JsonValue> => {
    const found = (await listFiles(ctx.workdir, input.path)).filter(matcher(input.glob));
    const limit = input.maxResults ?? 200;
    return { files: found.slice(0, limit), total: found.length, truncated: found.length > limit };
  },

  'outline': async (ctx: ToolContext, input: { path: string }): Promise<JsonValue> => {
    const language = languageOf(input.path);
    if (!language) {
      throw Object.assign(new Error(`no outline for ${input.path}: the language is not known`), {
        suggestion: 'Read the file, or search in it with code__grep.',
      });
    }
    const text = await readFile(join(ctx.workdir, input.path), 'utf8');
    return { path: input.path, language, lines: text.split('\n').length, symbols: outlineOf(language, text) };
  },
};
