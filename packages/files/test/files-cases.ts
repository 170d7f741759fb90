import { bytesCases } from './cases/bytes-cases.ts'
import { deleteMoveCases } from './cases/delete-move-cases.ts'
import { editCases } from './cases/edit-cases.ts'
import { findCases } from './cases/find-cases.ts'
import { hostileCases } from './cases/hostile-path-cases.ts'
import { readWriteCases } from './cases/read-write-cases.ts'
import type { Open } from './cases/opened.ts'

/** What every file system must do: the same cases for all of them. */
export function filesCases(name: string, open: Open): void {
  readWriteCases(name, open)
  editCases(name, open)
  bytesCases(name, open)
  findCases(name, open)
  deleteMoveCases(name, open)
  hostileCases(name, open)
}
