// What changed: status, diff and log, as data.
import type { ToolHandler, ToolContext, JsonValue } from '@goondan/core';
import { cut, git } from '../../lib/run';

const states: Record<string, string> = { M: 'modified', A: 'added', D: 'deleted', R: 'renamed', C: 'copied', T: 'type changed', U: 'unmerged' };

export const handlers: Record<string, ToolHandler> = {
  'status': async (ctx: ToolContext): Promise<JsonValue> => {
    const out = { branch: '', upstream: null as string | null, ahead: 0, behind: 0, staged: [] as JsonValue[], unstaged: [] as JsonValue[], untracked: [] as string[], conflicts: [] as string[] };
    const parts = (await git(['status', '--porcelain=v2', '--branch', '-z'], ctx.workdir)).split('\0');
    for (let i = 0; i < parts.length; i++) {
      const line = parts[i];
      const words = line.split(' ');
      if (line.startsWith('# branch.head ')) out.branch = words[2];
      else if (line.startsWith('# branch.upstream ')) out.upstream = words[2];
      else if (line.startsWith('# branch.ab ')) [out.ahead, out.behind] = [Math.abs(Number(words[2])), Math.abs(Number(words[3]))];
      else if (line.startsWith('? ')) out.untracked.push(line.slice(2));
      else if (line.startsWith('u ')) out.conflicts.push(words.slice(10).join(' '));
      else if (line.startsWith('1 ') || line.startsWith('2 ')) {
        const renamed = line.startsWith('2 ');
        const path = words.slice(renamed ? 9 : 8).join(' ');
        const from = renamed ? parts[++i] : undefined;
        const entry = (state: string) => ({ path, state: states[state] ?? state, ...(from ? { from } : {}) });
        const [index, tree] = words[1];
        if (index !== '.') out.staged.push(entry(index));
        if (tree !== '.') out.unstaged.push(entry(tree));
      }
    }
    const clean = !out.staged.length && !out.unstaged.length && !out.untracked.length && !out.conflicts.length;
    return { ...out, clean };
  },

  'diff': async (ctx: ToolContext, input: { staged?: boolean; against?: string; path?: string; maxBytes?: number }): Promise<JsonValue> => {
    if (input.against?.startsWith('-')) throw new Error(`not a revision: ${input.against}`);
    const what = [...(input.staged ? ['--cached'] : []), ...(input.against ? [input.against] : [])];
    const where = input.path ? ['--', input.path] : ['--'];
    const [stat, patch] = await Promise.all([
      git(['diff', '--numstat', ...what, ...where], ctx.workdir),
      git(['diff', '--no-color', '--no-ext-diff', ...what, ...where], ctx.workdir),
    ]);
    const files = stat.split('\n').filter(Boolean).map((line) => {
      const [added, removed, path] = line.split('\t');
      return added === '-' ? { path, binary: true } : { path, added: Number(added), removed: Number(removed) };
    });
    const { text, truncated } = cut(patch, input.maxBytes ?? 60_000);
    return { files, patch: text, truncated };
  },

  'log': async (ctx: ToolContext, input: { limit?: number; path?: string }): Promise<JsonValue> => {
    const format = ['%H', '%an', '%aI', '%s'].join('%x1f') + '%x1e';
    const out = await git(['log', `--max-count=${input.limit ?? 20}`, `--format=${format}`, '--', ...(input.path ? [input.path] : [])], ctx.workdir);
    const commits = out.split('\x1e').map((entry) => entry.trim()).filter(Boolean).map((entry) => {
      const [hash, author, date, subject] = entry.split('\x1f');
      return { hash, author, date, subject };
    });
    return { commits };
  },
};
