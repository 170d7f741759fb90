import { instructionLike } from '@keepsake/core'
import { checkFiles } from './check-files.ts'
import { failure } from './failures.ts'
import type { Failure, Files } from './files.ts'
import { decodeText } from './text.ts'

/**
 * The same files for models, where several people or agents share them: a text that reads as an instruction to an agent
 * (`instructionLike`) is refused, as `permission_denied`, before anything is written. What is there already stays and can be
 * edited; people write to `files` itself. A heuristic: one layer beside quarantine and `withPermissions`.
 *
 * ```ts
 * const agent = createAgent({ model, files: refuseInstructions(sharedFiles) })
 * ```
 */
export function refuseInstructions<F extends Files>(files: F): F {
  checkFiles(files, 'refuseInstructions: files')
  const checked: Pick<Files, 'write' | 'edit' | 'upload'> = {
    write: async (path, content, options) => refusal(content) ?? files.write(path, content, options),
    edit: async (path, oldText, newText, options) => refusal(newText) ?? files.edit(path, oldText, newText, options),
    async upload(uploads, options) {
      const results = []
      for (const one of uploads) {
        const text = decodeText(one.bytes)
        const refused = text.ok ? refusal(text.value) : undefined
        results.push(refused ?? (await files.upload([one], options))[0]!)
      }
      return results
    },
  }
  return { ...files, ...checked }
}

function refusal(text: unknown): Failure | undefined {
  if (typeof text !== 'string' || instructionLike(text) === undefined) return undefined
  return failure(
    'permission_denied',
    'not written: these files are shared, and the text reads as an instruction to an agent; write what is to be known as a fact, without orders',
  )
}
