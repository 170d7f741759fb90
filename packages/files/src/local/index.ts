export { localFiles, type LocalFilesOptions } from './local-files.ts'
