// Running the tests of a project, whatever it is written in.
import type { ToolHandler, ToolContext, JsonValue } from '@goondan/core';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../lib/run';

interface Runner {
  command: string[];
  failure: RegExp;
}

async function runnerOf(root: string, target?: string, filter?: string): Promise<Runner | undefined> {
  const read = (name: string) => readFile(join(root, name), 'utf8').catch(() => undefined);
  if ((await read('go.mod')) !== undefined) {
    return { command: ['go', 'test', ...(filter ? ['-run', filter] : []), target ?? './...'], failure: /^\s*--- FAIL: (\S+)/ };
  }
  const manifest = await read('package.json');
  if (manifest !== undefined && JSON.parse(manifest).scripts?.test) {
    const rest = [...(target ? [target] : []), ...(filter ? ['-t', filter] : [])];
    return { command: ['npm', 'test', '--silent', ...(rest.length ? ['--', ...rest] : [])], failure: /^\s*(?:✕|✗|×|not ok \d+ -?|FAIL)\s+(.+)/ };
  }
  if ((await read('Cargo.toml')) !== undefined) {
    return { command: ['cargo', 'test', ...(filter ? [filter] : [])], failure: /^test (\S+) \.\.\. FAILED/ };
  }
  for (const name of ['pyproject.toml', 'pytest.ini', 'setup.py', 'tox.ini']) {
    if ((await read(name)) !== undefined) {
      return { command: ['python3', '-m', 'pytest', '-q', ...(filter ? ['-k', filter] : []), ...(target ? [target] : [])], failure: /^FAILED (\S+)/ };
    }
  }
  if (/^test:/m.test((await read('Makefile')) ?? '')) {
    return { command: ['make', 'test'], failure: /^.*\bFAIL(?:ED)?\b:?\s*(.*)/ };
  }
  return undefined;
}

export const handlers: Record<string, ToolHandler> = {
  'run': async (ctx: ToolContext, input: { target?: string; filter?: string; tail?: number }): Promise<JsonValue> => {
    for (const word of [input.target, input.filter]) {
      if (word?.startsWith('-')) throw new Error(`${word}: options cannot be given here`);
    }
    const runner = await runnerOf(ctx.workdir, input.target, input.filter);
    if (!runner) {
      throw Object.assign(new Error('no tests found: there is no go.mod, package.json with a test script, Cargo.toml, Python project or Makefile with test'), {
        suggestion: 'Start gongu with --workdir set to the project.',
      });
    }
    const began = Date.now();
    const ended = await run(runner.command, ctx.workdir);
    const lines = (ended.stdout + ended.stderr).split('\n');
    const failures = [...new Set(lines.map((line) => runner.failure.exec(line)?.[1]).filter(Boolean))];
    return {
      command: runner.command.join(' '),
      passed: ended.exitCode === 0,
      exitCode: ended.exitCode,
      durationMs: Date.now() - began,
      failures,
      output: lines.slice(-(input.tail ?? 60)).join('\n').trim(),
    };
  },
};
