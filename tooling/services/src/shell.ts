/** A line for a POSIX shell that sets a variable. */
export function exportLine(variable: string, value: string): string {
  return `export ${variable}=${/^[\w.:/@+,-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`}`
}
