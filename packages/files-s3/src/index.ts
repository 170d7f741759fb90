export { s3Files, type S3FilesOptions } from './s3-files.ts'
