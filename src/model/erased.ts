/** Replaces the address of an erased person. The name cannot be registered (RFC 2606, section 2). */
export const ERASED = 'erased@erased.invalid';
