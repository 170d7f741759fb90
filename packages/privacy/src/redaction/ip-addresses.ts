import type { RedactionPattern } from './pattern.ts'

const V4 = /(?<![\w.-]|\bv(?:ersion)? ?)(?:\d{1,3}\.){3}\d{1,3}(?![\w-]|\.\d)/gi
const V6 = /(?<![\w:.])(?:[0-9a-f]{1,4})?(?::{1,2}[0-9a-f]{1,4}){1,7}(?:::)?(?![\w:]|\.\w)/gi

/**
 * Addresses of machines (RFC 791, RFC 4291). Those that name no machine in particular stay: loopback, unspecified and
 * broadcast. Four numbers after "v" or "version" are a version.
 */
export const ipAddresses: RedactionPattern = {
  name: 'IP',
  *find(text) {
    for (const { index, 0: found } of text.matchAll(V4)) {
      if (isV4(found)) yield { start: index, end: index + found.length }
    }
    for (const { index, 0: found } of text.matchAll(V6)) {
      if (isV6(found)) yield { start: index, end: index + found.length }
    }
  },
}

function isV4(found: string): boolean {
  const parts = found.split('.')
  if (parts.some((part) => Number(part) > 255 || (part.length > 1 && part.startsWith('0')))) return false
  return (
    parts[0] !== '127' && parts[0] !== '0' && found !== '255.255.255.255' && !parts.slice(1).every((p) => p === '0')
  )
}

function isV6(found: string): boolean {
  const gaps = found.split('::').length - 1
  const groups = found.split(':').filter((group) => group !== '').length
  // Times and MAC addresses have colons too, and C++ has pairs of them.
  if (gaps === 0) return groups === 8
  if (gaps > 1 || groups > 7) return false
  return groups >= 2 && /\d/.test(found) && found.split(':').some((group) => group.length >= 3)
}
