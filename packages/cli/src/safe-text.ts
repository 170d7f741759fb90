/**
 * What agents remember comes from anywhere, so nothing of it may reach a terminal as a command: escape sequences that
 * clear the screen or set its title, and marks that turn the direction of writing round ("Trojan Source",
 * CVE-2021-42574). They are shown as `\u001b` instead.
 */

/** One line: every control and formatting character is shown as its escape, line breaks too. */
export function safeLine(text: string): string {
  return text.replace(UNSAFE, escapeUnits)
}

/** Several lines: line feeds and tabs stay, every other control and formatting character is shown as its escape. */
export function safeBlock(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(UNSAFE, (c) => (c === '\n' || c === '\t' ? c : escapeUnits(c)))
}

/** JSON that means the same and holds none of these characters: `JSON.stringify` escapes only some of them. */
export function escapeJson(json: string): string {
  return json.replace(UNSAFE, (c) => (c === '\n' ? c : escapeUnits(c)))
}

/** A value as one line of JSON that is safe to show. */
export function jsonLine(value: unknown): string {
  return escapeJson(JSON.stringify(value))
}

// Cc controls, Cf formatting marks (bidirectional, zero width, tags), Cs lone surrogates, Zl and Zp line separators.
// The two joiners stay: emoji and several scripts need them, and they move nothing.
const UNSAFE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** A character as `\u` escapes of its UTF-16 units. */
export function escapeUnits(character: string): string {
  let escaped = ''
  for (let i = 0; i < character.length; i++) {
    escaped += '\\u' + character.charCodeAt(i).toString(16).padStart(4, '0')
  }
  return escaped
}
