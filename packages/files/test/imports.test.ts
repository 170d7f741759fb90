import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'

/** Which modules importing a module loads, in a process of its own. */
function loadedBy(specifier: string): string[] {
  const script = `
    import { registerHooks } from 'node:module'
    const urls = []
    registerHooks({ load(url, context, next) { urls.push(url); return next(url, context) } })
    await import(${JSON.stringify(specifier)})
    console.log(JSON.stringify(urls))`
  const options = { encoding: 'utf8', cwd: new URL('.', import.meta.url) } as const
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], options)) as string[]
}

describe("import('@keepsake/files')", () => {
  const urls = loadedBy('@keepsake/files')

  it('loads nothing of Node', () => {
    expect(urls.filter((url) => url.startsWith('node:'))).toEqual([])
    expect(urls.filter((url) => url.includes('/src/local/'))).toEqual([])
  })
})
