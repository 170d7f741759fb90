const MAX_LINES = 130

/** A package's README answers the same questions, in the same order, whichever package one opens. */
const SECTIONS: readonly [what: string, heading: RegExp][] = [
  ['when to use it, and when not', /^## .*\bwhen\b/im],
  ['Install', /^## .*\binstall/im],
  ['API', /^## .*\bAPI\b/m],
  ['Limits', /^## .*\blimits\b/im],
]

/** What a package's README lacks. */
export function readmeProblems(name: string, text: string | undefined): string[] {
  if (text === undefined) return ['README.md is missing']
  const problems: string[] = []
  if (!text.startsWith(`# ${name}\n`)) problems.push(`does not begin with "# ${name}"`)
  for (const [what, heading] of SECTIONS) {
    if (!heading.test(text)) problems.push(`has no section "${what}" (${heading.source})`)
  }
  if (!text.includes(`pnpm add`)) problems.push('does not show "pnpm add"')
  if (!/^```ts$/m.test(text)) problems.push('has no ```ts snippet')
  const lines = text.trimEnd().split('\n').length
  if (lines > MAX_LINES) problems.push(`has ${lines} lines, more than ${MAX_LINES}`)
  return problems.map((problem) => `README.md ${problem}`)
}
