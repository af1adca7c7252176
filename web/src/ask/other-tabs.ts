const NAME = 'lectern.chats';

/** Tells the other tabs of this browser that a chat has changed. They read it with their own rights. */
export class OtherTabs {
  private readonly channel = new BroadcastChannel(NAME);

  /**
   * @param ended when to stop listening
   * @param onChange called with the id of a chat that another tab has changed
   */
  constructor(
    private readonly ended: AbortSignal,
    onChange: (chatId: string) => void,
  ) {
    this.channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (typeof data === 'string') onChange(data);
    };
    ended.addEventListener('abort', () => {
      this.channel.close();
    });
  }

  tell(chatId: string): void {
    if (!this.ended.aborted) this.channel.postMessage(chatId);
  }
}
