// Browsers refuse workers to pages from the file system. There, a hidden frame does what the worker of the search would.
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow;
      inside.document.open();
      inside.document.write("<!doctype html><title>Search</title><body></body>");
      inside.document.close();
      const load = (place) => new Promise((done, failed) => {
        const script = inside.document.createElement("script");
        Object.assign(script, { src: place, onload: done, onerror: failed });
        inside.document.body.append(script);
      });
      inside.importScripts = (...places) => places.reduce((before, place) => before.then(() => load(place)), Promise.resolve());
      inside.postMessage = (data) => {
        const message = new MessageEvent("message", { data });
        this.dispatchEvent(message);
        if (this.onmessage) this.onmessage(message);
      };
      this.inside = inside;
      this.ready = load(address);
    }

    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data })));
    }

    terminate() {
      this.inside.frameElement.remove();
    }
  };
}
