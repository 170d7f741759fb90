import { fileBytesCases } from './files/bytes-cases.ts'
import { deleteMoveCases } from './files/delete-move-cases.ts'
import { editCases } from './files/edit-cases.ts'
import type { FilesCase } from './files/files-case.ts'
import { findCases } from './files/find-cases.ts'
import { hostilePathCases } from './files/hostile-path-cases.ts'
import { misuseCases } from './files/misuse-cases.ts'
import { operationCases } from './files/operation-cases.ts'
import { sourceCases } from './files/source-cases.ts'
import { readWriteCases } from './files/read-write-cases.ts'

/** Every rule that file systems keep, for `testFiles` and for runners of your own. */
export const filesCases: readonly FilesCase[] = [
  ...readWriteCases,
  ...editCases,
  ...operationCases,
  ...sourceCases,
  ...fileBytesCases,
  ...findCases,
  ...deleteMoveCases,
  ...misuseCases,
  ...hostilePathCases,
]
