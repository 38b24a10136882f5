/** Whether a request only reads, by its method. */
export const isRead = ({ method }: { method?: string | undefined }): boolean =>
  method === 'GET' || method === 'HEAD';
