import { matching, type RedactionPattern } from './pattern.ts'

/** Endings of file names that stand after an `@` in ordinary text, as in `logo@2x.png`. */
const FILE_ENDINGS =
  /\.(?:avif|bmp|c|cc|cpp|css|csv|gif|go|h|html|ico|jpeg|jpg|jsx?|json|kt|lock|md|m[jt]s|pdf|php|png|rb|rs|scss|svg|swift|toml|tsx?|txt|vue|webp|xml|ya?ml)$/i

/**
 * Addresses as people write them (RFC 5321's lengths; letters of all scripts, RFC 6531). Not the `git@host:path` of a
 * repository, nor a file name.
 */
export const emails: RedactionPattern = /* @__PURE__ */ matching(
  'EMAIL',
  /(?<![\p{L}\p{N}._%+'-])[\p{L}\p{N}_%+'-](?:[\p{L}\p{N}._%+'-]{0,62}[\p{L}\p{N}_%+'-])?@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}@]|:[\w~./-]|\.[\p{L}\p{N}])/gu,
  (address) => !address.includes('..') && !FILE_ENDINGS.test(address),
)
