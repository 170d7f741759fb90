/**
 * What a model is told about an error: the words of `getErrorMessage` in `@ai-sdk/provider`, which ai's UI streams show
 * for it. So the user reads what the model read.
 */
export function errorText(error: unknown): string {
  if (error === undefined || error === null) return 'unknown error'
  if (typeof error === 'string') return error
  try {
    return error instanceof Error ? error.toString() : (JSON.stringify(error) ?? 'unknown error')
  } catch {
    return 'unknown error'
  }
}
