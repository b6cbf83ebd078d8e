import { type SyntheticEvent, useState } from 'react';

interface Frame {
  /** The service answered that it is too busy. */
  hasFailed: boolean;
  /** A frame for each: the same address again is no other page to it. */
  tries: number;
  tryAgain(): void;
  onLoad(event: SyntheticEvent<HTMLIFrameElement>): void;
}

/**
 * What became of a frame that nobody may look into. How many frames are in it is told to everybody: messages have none, and what the service sends
 * in place of one when it is too busy has one.
 */
export function useFrame(src: string): Frame {
  const [failed, setFailed] = useState<string | null>(null);
  const [tries, setTries] = useState(0);
  return {
    hasFailed: failed === src,
    tries,
    tryAgain() {
      setFailed(null);
      setTries(tries + 1);
    },
    onLoad({ currentTarget: { contentWindow } }) {
      if ((contentWindow?.length ?? 0) > 0) setFailed(src);
    },
  };
}
