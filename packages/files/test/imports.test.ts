import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'

/** Which modules importing a module loads, in a process of its own. */
function loadedBy(specifier: string, then = ''): string[] {
  const script = `
    import { registerHooks } from 'node:module'
    const urls = []
    registerHooks({ load(url, context, next) { urls.push(url); return next(url, context) } })
    const module = await import(${JSON.stringify(specifier)})
    ${then}
    console.log(JSON.stringify(urls))`
  const options = { encoding: 'utf8', cwd: new URL('.', import.meta.url) } as const
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], options)) as string[]
}

const isParser = (url: string): boolean => /\/(unified|remark-parse|micromark)/.test(url)

function promptOf(content: string): string {
  const files = `{ read: async () => ({ ok: true, value: { content: ${JSON.stringify(content)} } }) }`
  return `await module.memoryPrompt(${files}, ['/a.md'])`
}

describe("import('@keepsake/files')", () => {
  const urls = loadedBy('@keepsake/files')

  it('loads nothing of Node', () => {
    expect(urls.filter((url) => url.startsWith('node:'))).toEqual([])
    expect(urls.filter((url) => url.includes('/src/local/'))).toEqual([])
  })

  it('leaves the Markdown parser for the first file with a comment', () => {
    expect(urls.filter(isParser)).toEqual([])
    expect(loadedBy('@keepsake/files', promptOf('no comment')).filter(isParser)).toEqual([])
    expect(loadedBy('@keepsake/files', promptOf('<!-- a -->')).filter(isParser)).not.toEqual([])
  })
})
