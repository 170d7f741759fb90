import type { RedactionPattern } from './pattern.ts'

/** Forms that their issuers document, each long enough to be no word. */
const ISSUED: readonly RegExp[] = [
  /\bsk-(?:[A-Za-z]{2,8}-)?[A-Za-z0-9_-]{20,200}/g, // OpenAI, Anthropic
  /\b(?:sk|pk|rk|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,200}/g, // Stripe
  /\bgh[pousr]_[A-Za-z0-9]{36,251}/g, // GitHub
  /\bgithub_pat_[A-Za-z0-9_]{22,251}/g,
  /\bglpat-[A-Za-z0-9_-]{20,64}/g, // GitLab
  /\bnpm_[A-Za-z0-9]{36}\b/g,
  /\bxox[abeprs]-[A-Za-z0-9-]{10,251}/g, // Slack
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g, // AWS
  /\bAIza[0-9A-Za-z_-]{35}/g, // Google
  /\bya29\.[0-9A-Za-z_-]{20,512}/g,
  /\bhf_[A-Za-z0-9]{30,64}\b/g, // Hugging Face
  /\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}/g, // SendGrid
  // JSON Web Tokens, RFC 7519. Looked for from where a run of their characters begins: from inside of one, again and
  // again, a text of "eyJ-" would take seconds.
  /(?<![\w-])(?:[\w-]{0,32}-)?eyJ[\w-]{8,4096}\.eyJ[\w-]{8,8192}\.[\w-]{8,4096}/g,
]

/** What a name or a place gives away: the group is the secret. */
const PLACED: readonly RegExp[] = [
  /\bBearer[ \t]{1,4}([A-Za-z0-9._~+/-]{20,4096}={0,2})/gi, // RFC 6750
  /\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s:/@]{0,128}:([^\s/@[\]]{1,256})@/gi, // RFC 3986, userinfo
  /\b\w{0,32}(?:api_?key|apikey|access_?key|auth_?token|access_?token|secret|passwd|password)["']?[ \t]{0,4}[:=]{1,2}[ \t]{0,4}["']?([A-Za-z0-9_\-/+.!$%^*]{8,512}={0,2})/gi,
]

const PRIVATE_KEY_BEGIN = /-----BEGIN (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY-----/g
const PRIVATE_KEY_END = /-----END (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY-----/g

/** API keys, tokens, private keys and passwords, by the forms of their issuers or by where they stand. */
export const secrets: RedactionPattern = {
  name: 'SECRET',
  *find(text) {
    for (const regex of ISSUED) {
      for (const { index, 0: found } of text.matchAll(regex)) {
        if (isMixed(found.slice(3))) yield { start: index, end: index + found.length }
      }
    }
    for (const [i, regex] of PLACED.entries()) {
      for (const { index, 0: found, 1: secret = '' } of text.matchAll(regex)) {
        const start = index + found.lastIndexOf(secret)
        const end = start + secret.length
        // In code, what stands after `password =` is mostly another name, or a call.
        if (i < 2 || (isMixed(secret) && !/^[.(]/.test(text.slice(end, end + 1)))) yield { start, end }
      }
    }
    const ends = [...text.matchAll(PRIVATE_KEY_END)].map(({ index, 0: found }) => index + found.length)
    let next = 0
    for (const { index } of text.matchAll(PRIVATE_KEY_BEGIN)) {
      while (next < ends.length && ends[next]! <= index) next++
      // A key that is cut off goes to the end of the text.
      yield { start: index, end: ends[next] ?? text.length }
    }
  },
}

/** Keys hold digits and letters; words of code mostly do not. */
function isMixed(text: string): boolean {
  return /\d/.test(text) && /[A-Za-z]/.test(text)
}
