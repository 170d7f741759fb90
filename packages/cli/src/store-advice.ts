import { describeStore } from './describe-store.ts'

/** Advice to run `keepsake provision` must not lead to another store than the one that was looked at. */
export function adviseStore(message: string, storeUri: string | undefined): string {
  if (storeUri === undefined) return message
  return message.replace(
    '`keepsake provision`',
    () => `\`keepsake provision --store ${shellWord(describeStore(storeUri))}\``,
  )
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
