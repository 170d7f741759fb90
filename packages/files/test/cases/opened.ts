import type { Files, Result } from '../../src/files.ts'

/** A fresh, empty file system, and a second handle on the same files, as another process would have it. */
interface Opened {
  files: Required<Files>
  again: Required<Files>
}

export type Open = () => Promise<Opened>

export function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.code}: ${result.message}`)
  return result.value
}

export const codeOf = (result: Result<unknown>): string => (result.ok ? 'ok' : result.code)
export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
export const textAt = async (files: Files, path: string): Promise<string> => valueOf(await files.read(path)).content
export const pathsOf = async (list: Promise<Result<{ path: string }[]>>): Promise<string[]> =>
  valueOf(await list).map(({ path }) => path)
