import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repoRoot, workspaces } from './workspace.ts'

/** A TypeScript example in a document. */
export interface Snippet {
  /** `packages/core/README.md`. */
  document: string
  /** Of the first line of code, counted from 1. */
  line: number
  /** Whether it is executed, or only compiled because its fence says `no-run` (it needs a key or a server). */
  run: boolean
  code: string
}

/** The documents whose examples must hold. Decisions are history: theirs need not. */
export function documents(): string[] {
  const docs = readdirSync(join(repoRoot, 'docs')).filter((name) => name.endsWith('.md'))
  return ['README.md', ...docs.map((name) => `docs/${name}`), ...workspaces().map(({ path }) => `${path}/README.md`)]
    .filter((path) => existsSync(join(repoRoot, path)))
    .toSorted()
}

export function snippetsOf(document: string): Snippet[] {
  return parseSnippets(document, readFileSync(join(repoRoot, document), 'utf8'))
}

/** Finds the fences that begin with ```` ```ts ```` or ```` ```ts no-run ````. Another word after `ts` is an error. */
export function parseSnippets(document: string, text: string): Snippet[] {
  const snippets: Snippet[] = []
  let open: Snippet | undefined
  let closing = ''
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^(`{3,}|~{3,})\s*(.*?)\s*$/.exec(line)
    if (closing !== '') {
      if (fence?.[1] === closing && fence[2] === '') {
        if (open !== undefined) snippets.push(open)
        open = undefined
        closing = ''
      } else if (open !== undefined) open.code += `${line}\n`
    } else if (fence !== null) {
      closing = fence[1] ?? ''
      const [language, ...words] = (fence[2] ?? '').split(/\s+/)
      if (!/^(ts|typescript)$/i.test(language ?? '')) continue
      const run = words.length === 0
      if (language !== 'ts' || (!run && words.join(' ') !== 'no-run')) {
        throw new Error(`${document}:${index + 1}: write \`\`\`ts or \`\`\`ts no-run, not "${fence[2]}"`)
      }
      open = { document, line: index + 2, run, code: '' }
    }
  }
  if (closing !== '') throw new Error(`${document}: a fence is never closed`)
  return snippets
}
