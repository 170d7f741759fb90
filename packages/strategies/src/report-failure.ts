/** Hears of what failed without failing a run. */
export type OnError = (error: unknown, context: { threadId?: string | undefined }) => void

/** Tells `onError` or, where there is none, the console: by what it is, never what was said. */
export function reportFailure(what: string, error: unknown, onError: OnError | undefined, threadId?: string): void {
  if (onError !== undefined) return onError(error, { threadId })
  const { console } = globalThis as { console?: { warn(text: string): void } }
  const name = error instanceof Error ? error.name : typeof error
  console?.warn(`keepsake: ${what} (${name}). It will be tried again later; pass onError to see why.`)
}
