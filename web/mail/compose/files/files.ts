/** The files of a message. */

interface BaseFile {
  /** Tells it from the others while nothing else does. */
  key: string;
  name: string;
  type: string;
  octets: number;
  /** It is an image that stands in the text. */
  isInline: boolean;
}

/** It is with the service. */
export interface UploadedFile extends BaseFile {
  upload: string;
  url: string;
}

/** It is on its way, or did not get there. */
export interface ComingFile extends BaseFile {
  /** From 0 to 1. */
  progress: number;
  /** Why it is not with the service. */
  problem: string | null;
  /** It is too large for mail, and waits for what becomes of it. */
  offered?: File;
}

export type AttachedFile = UploadedFile | ComingFile;

export const isComing = (file: AttachedFile): file is ComingFile => 'progress' in file;
export const isUploaded = (file: AttachedFile): file is UploadedFile => !isComing(file);

/** Whether it may stand in the text: what the service shows as a picture, and mail programs too. */
export const isPicture = (type: string): boolean => /^image\/(?:png|jpeg|gif|webp)$/.test(type);
