/** `2026-11-30 15:57:02Z`: sortable, and the same on every machine. Takes Unix milliseconds. */
export function formatTime(ms: number): string {
  // What a Date cannot hold is shown as the number it is.
  if (!(Math.abs(ms) <= 8.64e15)) return `${ms} ms`
  return new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z')
}

/** `512 B`, `1.4 kB`, `4.2 MB`: three digits at most, in powers of 1,000. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 'B'
  for (const next of ['kB', 'MB', 'GB']) {
    // From 999.5 on it would be shown as 1000.
    if (value < 999.5) break
    value /= 1000
    unit = next
  }
  return unit === 'B' || value >= 100 ? `${Math.round(value)} ${unit}` : `${value.toFixed(1)} ${unit}`
}

/** `1,234 rows`, `1 row`. */
export function formatCount(count: number, noun: string, plural: string = `${noun}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : plural}`
}
