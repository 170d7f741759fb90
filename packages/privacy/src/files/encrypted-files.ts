import type { Key, Owner } from '@keepsake/core'
import type { Files } from '@keepsake/files'
import { checkFiles, notFound, ok } from '@keepsake/files/tree'
import { checkKeys, openSealed } from '../encryption/open-sealed.ts'
import { filePlace, SEALED_BYTES, sealRecord } from '../encryption/sealed-record.ts'
import type { SubjectKeys } from '../encryption/subject-keys.ts'
import { mustBe } from '../must-be.ts'
import { filesInForm } from './files-in-form.ts'

export interface FileEncryptionOptions {
  /** The data keys: `subjectKeys({ store, wrapping })`. */
  keys: SubjectKeys
  /** Whose key a file is written with: a person, or what tells the person by the file's path, such as `/users/ada/a.md`. */
  subject: Owner | ((path: string) => Owner)
  /**
   * Reads files that are not encrypted as they are, while old ones are being written anew. Default `false`: they are
   * refused, for whoever can write to the disk could plant one.
   */
  readPlain?: boolean
}

/**
 * Files whose content is encrypted before it reaches `files`, on a disk, in a bucket or in rows: by AES-256-GCM-SIV (RFC
 * 8452), each with its subject's key, as `encrypted` does with records. Equal content stays equal bytes, so versions,
 * merges and repeated edits work as before. A file is bound to its path: one that was changed, or copied from another path,
 * is an `invalid_value` that names the path. A file whose key was destroyed is `not_found`; it is still listed, and can be
 * written anew and deleted.
 *
 * Visible to who reads the disk: paths, times, sizes (42 bytes more than the content's), which files are of one subject, and
 * the `sources` of changes, which `files` keeps. An older content of the same path can be put back unnoticed. Files may be 42 bytes shorter than on plain ones.
 * What people edit on the disk by hand cannot be encrypted: give them these files by another way.
 *
 * Reading, writing and editing cost a call of `files` or two, an edit with an `opId` three. Throws `invalid_value` for what is no files, no keys or no subject.
 *
 * ```ts
 * const files = encryptedFiles(localFiles({ root: 'memory' }), { keys, subject: 'ada' })
 * ```
 */
export function encryptedFiles(files: Files, options: FileEncryptionOptions): Required<Files> {
  checkFiles(files, 'encryptedFiles: files')
  const { keys, subject, readPlain = false } = options ?? {}
  checkKeys(keys, 'encryptedFiles: keys')
  if (typeof subject !== 'string' && typeof subject !== 'function' && !Array.isArray(subject))
    throw mustBe('encryptedFiles: subject', 'a person, or a function of the path', subject)

  function subjectAt(path: string): Key {
    const owner: unknown = typeof subject === 'function' ? subject(path) : subject
    const key: unknown = typeof owner === 'string' ? [owner] : owner
    if (Array.isArray(key) && key.length > 0 && key.every((part) => typeof part === 'string')) return key
    throw mustBe(`encryptedFiles: the subject of ${JSON.stringify(path)}`, 'a person', owner)
  }

  return filesInForm(files, {
    addedBytes: SEALED_BYTES,
    async toStored(bytes, path, call) {
      const { id, key } = await keys.current(subjectAt(path), call)
      return sealRecord(bytes, id, key, filePlace(path))
    },
    async fromStored(stored, path, call) {
      const bytes = await openSealed(stored, filePlace(path), { keys, readPlain }, call)
      return bytes === undefined ? notFound() : ok(bytes)
    },
  })
}
