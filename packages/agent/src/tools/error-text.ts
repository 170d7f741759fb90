/**
 * What a model is told about an error: the words of `getErrorMessage` in `@ai-sdk/provider`, which ai's UI streams show
 * for it. So the user reads what the model read.
 */
export function errorText(error: unknown): string {
  if (typeof error === 'string') return error
  try {
    // Anything can be thrown, and say anything about itself.
    const text: unknown = error instanceof Error ? error.toString() : JSON.stringify(error ?? undefined)
    return typeof text === 'string' ? text : 'unknown error'
  } catch {
    return 'unknown error'
  }
}
