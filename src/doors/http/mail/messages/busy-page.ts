/** In the place of the document of a message, in its frame. The page around it can count the frames of a document and nothing else: the one in here says what this is (web/mail, useFrame). */
export const BUSY_PAGE =
  '<!doctype html><meta charset="utf-8"><title>Message</title><p>The service is too busy to show this message at the moment.</p><iframe hidden></iframe>';
