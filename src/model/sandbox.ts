/** The server that the sandbox names in all its outcomes. No real server has the name (RFC 2606, section 2). */
export const SANDBOX_MTA = 'sandbox.invalid';
