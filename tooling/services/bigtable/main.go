// Bigtable in memory, by Google's own test server. Debian has it in golang-google-cloud-dev.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"

	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/grpc"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "address to listen on")
	flag.Parse()
	// gRPC takes 4 MiB by default, which is the largest record alone. The real service takes more.
	server, err := bttest.NewServer(*addr, grpc.MaxRecvMsgSize(64<<20))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(server.Addr)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	<-stop
	server.Close()
}
