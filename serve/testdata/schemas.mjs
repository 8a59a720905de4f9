// Prints the JSON schemas of the protocol that lie in the bundle of the
// conformance suite, as one array.
import { readFileSync } from 'node:fs'

const text = readFileSync(process.argv[2], 'utf8')
const mark = '{$schema:`'

// endOf finds the brace that closes the one at start, outside of strings.
function endOf(start) {
  let depth = 0
  let quote = ''
  for (let i = start; i < text.length; i++) {
    const c = text[i]
    if (quote) {
      if (c === '\\') i++
      else if (c === quote) quote = ''
    } else if (c === '`' || c === '"' || c === "'") quote = c
    else if (c === '{') depth++
    else if (c === '}' && --depth === 0) return i + 1
  }
  throw new Error('a schema does not end')
}

const found = []
for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
  const source = text.slice(at, endOf(at))
  if (!source.includes('JSONRPCNotification:{')) continue
  found.push((0, eval)(`(${source})`))
}
console.log(JSON.stringify(found))
