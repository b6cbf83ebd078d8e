/** The files of a message. */

interface BaseFile {
  /** Identifies the file in this composer before the service has assigned an id. */
  key: string;
  name: string;
  type: string;
  octets: number;
  /** Whether the file is an image in the text. */
  isInline: boolean;
}

/** A file that the service has stored. */
export interface UploadedFile extends BaseFile {
  upload: string;
  url: string;
}

/** A file that is being uploaded, or whose upload failed. */
export interface UploadingFile extends BaseFile {
  /** The uploaded share of the file, from 0 to 1. */
  progress: number;
  /** The reason why the upload failed; null without a failure. */
  problem: string | null;
  /** The file, if it is too large for mail and the user must decide whether to send a link. */
  offered?: File;
}

export type AttachedFile = UploadedFile | UploadingFile;

export const isUploading = (file: AttachedFile): file is UploadingFile => 'progress' in file;
export const isUploaded = (file: AttachedFile): file is UploadedFile => !isUploading(file);

/** The files in the list of files. Inline images are listed only until they are uploaded and appear in the text. */
export const shownFiles = (files: readonly AttachedFile[]): AttachedFile[] =>
  files.filter((file) => !file.isInline || isUploading(file));

/** Whether a file of this type can be shown in the text. The service and mail programs display these image types. */
export const isPicture = (type: string): boolean => /^image\/(?:png|jpeg|gif|webp)$/.test(type);
