/** Whether an email is scheduled for later. */
export function isLater(email: { status: string; scheduled_at: string | null }): boolean {
  const { status, scheduled_at } = email;
  return status === 'queued' && scheduled_at !== null && Date.parse(scheduled_at) > Date.now();
}
