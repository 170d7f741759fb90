import { join } from 'node:path'
import { compositeFiles, pathSegment, withPermissions, type Files } from '@keepsake/files'
import { localFiles } from '@keepsake/files/local'

export interface MemoryFolders {
  /** What a run sees: its user's folder as `/`, its project's as `/project`, and `/policies`, which it only reads. */
  filesOf(context: { userId: string; project?: string | undefined }): Files
  userFolder(userId: string): string
}

/**
 * The folders of memory files below one: `memory/<user>`, `projects/<project>` and `policies`. A name that could lead
 * anywhere else is refused (`invalid_key`).
 */
export function memoryFolders(folder: string): MemoryFolders {
  const userFolder = (userId: string): string => join(folder, 'memory', pathSegment(userId))
  const at = (...path: string[]): Files => localFiles({ root: join(folder, ...path) })
  return {
    userFolder,
    filesOf({ userId, project }) {
      const own = localFiles({ root: userFolder(userId) })
      const shared = project === undefined ? {} : { '/project': at('projects', pathSegment(project)) }
      const all = compositeFiles({ default: own, routes: { ...shared, '/policies': at('policies') } })
      // Whoever writes what everybody reads, speaks to everybody's assistant: that is for people.
      return withPermissions(all, [{ operations: ['write'], paths: ['/policies/**'], mode: 'deny' }])
    },
  }
}
