using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Runtime.InteropServices;
using System.Text;
using Bench;

namespace Bench {
    /// What HTTP client and connection a call takes is for the user to say here.
    public partial class BenchService {
        public bool Keep = true;

        protected override WebRequest GetWebRequest(Uri address) {
            var request = (HttpWebRequest)base.GetWebRequest(address);
            request.KeepAlive = Keep;
            request.SendChunked = false;
            return request;
        }
    }
}

/// The web services of .NET (System.Web.Services) in Mono, with the proxy that `wsdl` generates. ../../PROTOCOL.md.
class Engine {
    class Unsupported : Exception {
        public Unsupported(string why) : base(why) {}
    }

    [StructLayout(LayoutKind.Sequential)]
    struct Time {
        public IntPtr Seconds, Nanos;
    }

    [DllImport("libc")]
    static extern int clock_gettime(int clock, out Time time);

    static long Now() {
        Time time;
        clock_gettime(1, out time); // CLOCK_MONOTONIC
        return (long)time.Seconds * 1000000000L + (long)time.Nanos;
    }

    static readonly Dictionary<string, Type> Types = new Dictionary<string, Type> {
        { "doubles", typeof(double) }, { "ints", typeof(int) }, { "strings", typeof(string) }, { "mios", typeof(Mio) },
        { "events", typeof(Event) }, { "attributes", typeof(Bench.Attribute) }, { "classads", typeof(ClassAd) },
    };

    readonly Dictionary<string, BenchService> clients = new Dictionary<string, BenchService>();
    readonly List<object> sets = new List<object>();
    int searched;
    bool keep = true;
    string operation = "";
    object result;

    BenchService Client(string url) {
        BenchService client;
        if (!clients.TryGetValue(url, out client)) {
            client = new BenchService { Url = url, Keep = keep, Timeout = -1 };
            clients[url] = client;
        }
        return client;
    }

    Func<object, object> Caller(string name, BenchService b) {
        switch (name) {
            case "echoVoid": return v => { b.echoVoid(); return null; };
            case "doGoogleSearch":
                return v => b.doGoogleSearch("0000", "grid computing", 0, Math.Max(searched, 1), true, "", false, "", "", "");
            case "echoDoubles": return v => b.echoDoubles((double[])v);
            case "sendDoubles": return v => b.sendDoubles((double[])v);
            case "echoInts": return v => b.echoInts((int[])v);
            case "sendInts": return v => b.sendInts((int[])v);
            case "echoStrings": return v => b.echoStrings((string[])v);
            case "sendStrings": return v => b.sendStrings((string[])v);
            case "echoBytes": return v => b.echoBytes((byte[])v);
            case "sendBytes": return v => b.sendBytes((byte[])v);
            case "echoPacked": return v => b.echoPacked((byte[])v);
            case "sendPacked": return v => b.sendPacked((byte[])v);
            case "echoMios": return v => b.echoMios((Mio[])v);
            case "sendMios": return v => b.sendMios((Mio[])v);
            case "echoEvents": return v => b.echoEvents((Event[])v);
            case "sendEvents": return v => b.sendEvents((Event[])v);
            case "echoAttributes": return v => b.echoAttributes((Bench.Attribute[])v);
            case "sendAttributes": return v => b.sendAttributes((Bench.Attribute[])v);
            case "echoClassAds": return v => b.echoClassAds((ClassAd[])v);
            case "sendClassAds": return v => b.sendClassAds((ClassAd[])v);
            default: throw new Unsupported("no operation " + name);
        }
    }

    int Load(string kind, string path) {
        string[] lines = Trace.Lines(path);
        Type type;
        if (kind == "google") searched = lines.Length;
        else if (kind == "bytes") sets.Add(Trace.Bytes(lines.FirstOrDefault() ?? ""));
        else if (kind == "packed") sets.Add(Trace.Packed(lines));
        else if (Types.TryGetValue(kind, out type)) sets.Add(Trace.Items(type, lines));
        else throw new Unsupported("no " + kind);
        return lines.Length;
    }

    string Call(string name, string url, int count) {
        var call = Caller(name, Client(url));
        var given = name == "echoVoid" || name == "doGoogleSearch" ? new List<object> { null } : sets;
        var samples = new StringBuilder();
        for (int i = 0; i < count; i++) {
            object values = given[i % given.Count];
            long start = Now();
            result = call(values);
            samples.Append(' ').Append(start).Append(',').Append(Now());
        }
        operation = name;
        return samples.ToString();
    }

    int Dump(string path) {
        if (operation.StartsWith("send")) return Trace.Write(path, "ints", new[] { (int)result });
        object values = operation == "doGoogleSearch" ? ((GoogleSearchResult)result).resultElements : result;
        return Trace.Write(path, operation.Replace("echo", "").ToLowerInvariant(), values);
    }

    void Set(string name, string value) {
        if (name == "keepalive") keep = value == "on";
        else if (!new[] { "chunk 0", "security none", "attachments inline" }.Contains(name + " " + value))
            throw new Unsupported("no " + name + "=" + value);
        clients.Clear();
    }

    string Answer(string[] words) {
        switch (words[0]) {
            case "hello": return " 1 System.Web.Services of Mono, runtime " + Environment.Version;
            case "load": return " " + Load(words[1], words[2]);
            case "clear": sets.Clear(); searched = 0; return "";
            case "set": Set(words[1], words[2]); return "";
            case "serve": throw new Unsupported("the engine is a client");
            case "call": return Call(words[1], words[2], int.Parse(words[3]));
            case "dump": return " " + Dump(words[1]);
            case "reset": clients.Clear(); return "";
            default: throw new Unsupported("no command " + words[0]);
        }
    }

    static void Main() {
        // The documented settings for small messages: no question before a body, nothing held back.
        ServicePointManager.Expect100Continue = false;
        ServicePointManager.UseNagleAlgorithm = false;
        ServicePointManager.DefaultConnectionLimit = 16;
        var engine = new Engine();
        for (string line = Console.ReadLine(); line != null && line != "quit"; line = Console.ReadLine()) {
            string said;
            try {
                said = "ok" + engine.Answer(line.Split(' '));
            } catch (Unsupported why) {
                said = "unsupported " + why.Message;
            } catch (Exception problem) {
                Console.Error.WriteLine(problem);
                said = "error " + problem.Message.Replace('\n', ' ').Replace('\r', ' ');
            }
            Console.WriteLine(said);
        }
        Console.WriteLine("ok");
        Environment.Exit(0);
    }
}
