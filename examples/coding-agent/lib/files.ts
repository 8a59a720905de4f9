// The files of a project: what git knows and has not been told to ignore, or,
// without git, everything but the usual heaps.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './run';

const heaps = new Set(['.git', '.gongu', 'node_modules', 'dist', 'build', 'target', 'vendor', '__pycache__', '.venv']);
const most = 20_000;

export async function listFiles(root: string, below = '.'): Promise<string[]> {
  const inside = below.replace(/^\.\/+/, '').replace(/\/+$/, '') || '.';
  const known = await run(['git', 'ls-files', '-z', '-co', '--exclude-standard', '--', inside], root).catch(() => undefined);
  if (known?.exitCode === 0) {
    return known.stdout.split('\0').filter(Boolean).sort().slice(0, most);
  }
  const found: string[] = [];
  const walk = async (dir: string): Promise<void> => {
    for (const entry of await readdir(join(root, dir), { withFileTypes: true })) {
      const path = dir === '.' ? entry.name : `${dir}/${entry.name}`;
      if (found.length >= most) return;
      if (entry.isDirectory()) {
        if (!heaps.has(entry.name)) await walk(path);
      } else if (entry.isFile()) {
        found.push(path);
      }
    }
  };
  await walk(inside);
  return found.sort();
}

// matcher turns a glob into a test of a path: * stays in a folder, ** does not.
// A glob without a slash is about the name alone.
export function matcher(glob: string): (path: string) => boolean {
  let source = '';
  let depth = 0;
  for (let i = 0; i < glob.length; i++) {
    const c = glob[i];
    if (c === '*' && glob[i + 1] === '*') {
      source += '.*';
      i += glob[i + 2] === '/' ? 2 : 1;
    } else if (c === '*') {
      source += '[^/]*';
    } else if (c === '?') {
      source += '[^/]';
    } else if (c === '{') {
      depth++;
      source += '(?:';
    } else if (c === '}' && depth > 0) {
      depth--;
      source += ')';
    } else if (c === ',' && depth > 0) {
      source += '|';
    } else {
      source += c.replace(/[.+^$(){}|[\]\\]/g, '\\$&');
    }
  }
  const pattern = new RegExp(`^${source}${')'.repeat(depth)}$`);
  const whole = glob.includes('/');
  return (path) => pattern.test(whole ? path : path.slice(path.lastIndexOf('/') + 1));
}
