// What a file declares, line by line. It is no parser: it finds what stands at
// the beginning of a line, which is what a reader wants to know first.
type Rule = [kind: string, pattern: RegExp];

const script: Rule[] = [
  ['class', /^\s*(?:export\s+)?(?:default\s+)?(?:abstract\s+)?class\s+([\w$]+)/],
  ['interface', /^\s*(?:export\s+)?interface\s+([\w$]+)/],
  ['type', /^\s*(?:export\s+)?type\s+([\w$]+)\s*[=<]/],
  ['enum', /^\s*(?:export\s+)?(?:const\s+)?enum\s+([\w$]+)/],
  ['function', /^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*([\w$]+)/],
  ['function', /^(?:export\s+)?const\s+([\w$]+)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:\([^)]*\)|[\w$]+)\s*(?::[^=]+)?=>/],
  ['const', /^(?:export\s+)const\s+([\w$]+)/],
];

const languages: Record<string, { endings: string[]; rules: Rule[] }> = {
  typescript: { endings: ['.ts', '.tsx', '.mts', '.cts'], rules: script },
  javascript: { endings: ['.js', '.jsx', '.mjs', '.cjs'], rules: script },
  go: {
    endings: ['.go'],
    rules: [
      ['method', /^func\s+\([^)]*\)\s*(\w+)/],
      ['function', /^func\s+(\w+)/],
      ['type', /^type\s+(\w+)/],
      ['const', /^const\s+(\w+)/],
      ['var', /^var\s+(\w+)/],
    ],
  },
  python: { endings: ['.py'], rules: [['class', /^\s*class\s+(\w+)/], ['function', /^\s*(?:async\s+)?def\s+(\w+)/]] },
  rust: {
    endings: ['.rs'],
    rules: [
      ['function', /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+)?(?:unsafe\s+)?fn\s+(\w+)/],
      ['type', /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:struct|enum|trait|type|union)\s+(\w+)/],
      ['impl', /^\s*impl(?:<[^>]*>)?\s+([^{]+?)\s*\{/],
      ['module', /^\s*(?:pub\s+)?mod\s+(\w+)/],
    ],
  },
  java: {
    endings: ['.java', '.kt'],
    rules: [
      ['type', /^\s*(?:(?:public|private|protected|abstract|final|static|sealed|data|open)\s+)*(?:class|interface|enum|record|object)\s+(\w+)/],
      ['function', /^\s*(?:(?:public|private|protected|static|override|suspend)\s+)+(?:fun\s+|[\w<>[\],.? ]+\s+)(\w+)\s*\(/],
    ],
  },
  markdown: { endings: ['.md'], rules: [['heading', /^#{1,6}\s+(.+?)\s*$/]] },
};

export function languageOf(path: string): string | undefined {
  return Object.keys(languages).find((name) => languages[name].endings.some((ending) => path.endsWith(ending)));
}

export function outlineOf(language: string, text: string): { line: number; kind: string; name: string; indent: number }[] {
  const symbols: { line: number; kind: string; name: string; indent: number }[] = [];
  let fenced = false;
  text.split('\n').forEach((line, i) => {
    if (language === 'markdown' && line.startsWith('```')) fenced = !fenced;
    if (fenced) return;
    for (const [kind, pattern] of languages[language].rules) {
      const found = pattern.exec(line);
      if (found) {
        symbols.push({ line: i + 1, kind, name: found[1], indent: line.length - line.trimStart().length });
        return;
      }
    }
  });
  return symbols;
}
