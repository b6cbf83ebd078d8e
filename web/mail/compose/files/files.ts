/** The files of a message. */

interface BaseFile {
  /** Identifies the file in this composer before it has an id. */
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
  /** Why the upload failed. */
  problem: string | null;
  /** The file itself, if it is too large for mail and the user must choose what to do. */
  offered?: File;
}

export type AttachedFile = UploadedFile | UploadingFile;

export const isUploading = (file: AttachedFile): file is UploadingFile => 'progress' in file;
export const isUploaded = (file: AttachedFile): file is UploadedFile => !isUploading(file);

/** Whether a file of this type can be shown in the text: image types that the service and mail programs display. */
export const isPicture = (type: string): boolean => /^image\/(?:png|jpeg|gif|webp)$/.test(type);
