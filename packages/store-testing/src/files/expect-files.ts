import type { Files, Result } from '@keepsake/files'
import { expectEqual } from '../expect.ts'

/** The value of a result that must be one. */
export function valueOf<T>(result: Result<T>, what = 'the call'): T {
  if (!result.ok) {
    const message = `${what}: expected it to succeed, got ${result.code}: ${result.message}`
    throw Object.assign(new Error(message), { actual: result.code, expected: 'ok' })
  }
  return result.value
}

export const codeOf = (result: Result<unknown>): string => (result.ok ? 'ok' : result.code)
export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

export async function expectCode(result: Promise<Result<unknown>>, code: string, what: string): Promise<void> {
  expectEqual(codeOf(await result), code, what)
}

export async function expectText(files: Files, path: string, text: string, what: string = path): Promise<void> {
  const { content } = valueOf(await files.read(path), what)
  if (content.length + text.length < 2000) expectEqual(content, text, what)
  else expectEqual(content === text, true, `${what}, of ${text.length} characters, as it should be`)
}

export async function expectPaths(
  found: Promise<Result<{ path: string }[]>>,
  paths: readonly string[],
  what = 'what is found',
): Promise<void> {
  expectEqual(
    valueOf(await found, what).map(({ path }) => path),
    paths,
    what,
  )
}
