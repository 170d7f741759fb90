/** What a model is told about an error: the words that ai's UI streams show for it, so both read the same. */
export function errorText(error: unknown): string {
  if (error instanceof Error) return error.message
  if (typeof error === 'string') return error
  if (error === undefined || error === null) return 'unknown error'
  try {
    return JSON.stringify(error) ?? 'unknown error'
  } catch {
    return 'unknown error'
  }
}
